# The arena's page and API in a container; compose.yaml runs it beside Redis.
FROM python:3.11-slim

RUN pip install --no-cache-dir uv && useradd --create-home arena
WORKDIR /arena
COPY . .
ENV UV_NO_CACHE=1 UV_COMPILE_BYTECODE=1
RUN uv sync --no-dev --extra redis && mkdir -p logs && chown arena logs

# Nothing but the volume and /tmp is written to: all else may be read-only.
USER arena
ENV HOME=/tmp MPLCONFIGDIR=/tmp PYTHONDONTWRITEBYTECODE=1 PATH=/arena/.venv/bin:$PATH
VOLUME /arena/logs
EXPOSE 8642
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["python", "-c", \
    "from http.client import HTTPConnection as C; c = C('127.0.0.1', 8642, timeout=4); \
    c.request('GET', '/api/health'); raise SystemExit(c.getresponse().status != 200)"]
CMD ["python", "serve.py", "--host", "0.0.0.0", "--allow-host", "localhost", "--no-open"]
