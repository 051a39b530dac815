# Two stages: the first installs from the hashed lock file, the second holds the result and nothing else.
FROM python:3.11-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/agentx
COPY requirements.lock ./
RUN /opt/agentx/bin/pip install --no-cache-dir --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE NOTICE ./
COPY dashboard dashboard
COPY components components
COPY assets assets
COPY data data
RUN /opt/agentx/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm
LABEL org.opencontainers.image.title="agentx-dashboard" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 agentx && useradd --uid 10001 --gid agentx --no-create-home --shell /usr/sbin/nologin agentx
COPY --from=build /opt/agentx /opt/agentx
ENV PATH=/opt/agentx/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1
USER agentx
EXPOSE 8050
# The store is mounted read-only, and the container needs no other writable place than /tmp (the cache):
#   docker run --read-only --tmpfs /tmp -v "$PWD/store:/store:ro" -p 8050:8050 agentx-dashboard
# (`docker run ... agentx-dashboard serve --host 0.0.0.0` without `--store` shows the bundled sample.)
HEALTHCHECK --interval=30s --timeout=5s --start-period=15s --retries=3 \
  CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8050/healthz', timeout=4)"]
ENTRYPOINT ["agentx-dashboard"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8050", "--store", "/store"]
