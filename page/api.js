// The server's API: one question and its answer, or a stream of frames.

const FRAMES = ["hello", "event", "question", "status", "end", "reset"];
const AGAIN = 3000;

/** Return what the server answers; an Error has the sentence that says why not. */
export async function call(path, body, method = body === undefined ? "GET" : "POST", headers = {}) {
  const sent = { method, headers };
  if (method !== "GET") {
    sent.body = JSON.stringify(body ?? {});
    sent.headers = { "Content-Type": "application/json", ...headers };
  }
  const answer = await fetch(`/api${path}`, sent).catch(() => null);
  if (!answer) throw new Error("The server does not answer. Restart it with uv run serve.py.");
  if (answer.status === 204) return null;
  const data = await answer.json().catch(() => ({}));
  if (!answer.ok) throw Object.assign(new Error(data.detail ?? `The server answers ${answer.status}.`), data);
  return data;
}

/** Return the path that these names make. */
export function pathOf(...names) {
  return names.map((name) => `/${encodeURIComponent(name)}`).join("");
}

/**
 * Hand frames to `hear(kind, data)` until the game is finished; a hidden tab keeps no stream open.
 * A game that ended otherwise may be resumed, so it is polled; its end is reported once.
 */
export function follow(path, hear) {
  let stream = null;
  let last = -1;
  let over = false;
  let end = null;
  let timer = 0;
  const shut = () => {
    clearTimeout(timer);
    stream?.close();
    stream = null;
  };
  const take = (kind, message) => {
    if (kind === "reset") last = -1;
    if (kind === "event") {
      const index = Number(message.lastEventId.split(":").pop());
      if (index <= last) return;
      last = index;
    }
    const data = JSON.parse(message.data || "null");
    if (kind === "end") {
      shut();
      over = data.status === "finished";
      if (!over) timer = setTimeout(turn, AGAIN);
      if (message.data === end) return;
      end = message.data;
    }
    if (kind === "status") end = null;
    hear(kind, data);
  };
  const open = () => {
    stream = new EventSource(`/api${path}&after=${last}`);
    for (const kind of FRAMES) stream.addEventListener(kind, (message) => take(kind, message));
    stream.addEventListener("error", () => {
      hear("lost", null);
      if (stream?.readyState !== EventSource.CLOSED) return;
      shut();
      timer = setTimeout(turn, AGAIN);
    });
  };
  const turn = () => {
    if (document.hidden || over) shut();
    else if (!stream) open();
  };
  document.addEventListener("visibilitychange", turn);
  turn();
  return () => {
    over = true;
    shut();
    document.removeEventListener("visibilitychange", turn);
  };
}
