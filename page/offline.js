// The page of one game in a file; its place is in the fragment, as #event=12&as=Ada.

import { clear, el } from "./dom.js";
import { boardOf } from "./boards.js";
import { listenToKeys, pageButtons } from "./keys.js";
import { fileSource } from "./file_source.js";
import { fragmentOf, openViewer } from "./viewer.js";

/** Open the game that the file holds. */
async function openFile() {
  const source = fileSource(JSON.parse(document.getElementById("data").textContent));
  source.link = (place) => `#${fragmentOf(place)}`;
  const board = await boardOf(source.about.game);
  const main = el("main", {});
  const brand = el("span", { class: "brand" }, "arena");
  const top = el("header", { class: "top" }, brand, pageButtons());
  clear(document.getElementById("app"), top, main);
  let viewer = null;
  let timer = 0;

  function open(place) {
    viewer?.end();
    viewer = openViewer(main, source, board, place, tell);
  }

  function tell(place, anew) {
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, "", source.link(place)), 300);
    if (anew) open(place);
  }

  function read() {
    const query = new URLSearchParams(location.hash.slice(1));
    open({
      view: query.get("as") ?? source.views[0],
      event: query.has("event") ? Number(query.get("event")) : null,
    });
  }

  listenToKeys(() => viewer.keys);
  addEventListener("hashchange", read);
  read();
}

openFile();
