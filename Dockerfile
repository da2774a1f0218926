# Reeve in a container, as the published package has it: bundled, for a daemon that strips types as it starts takes
# 10 MB more for as long as it lives, and one that loads five hundred modules another 5.
#   docker build -t reeve .
#   docker run --init --read-only --cap-drop ALL --security-opt no-new-privileges --network host \
#     -v reeve-state:/var/lib/reeve -v /srv/reeve/config:/etc/reeve:ro -v /var/log:/var/log:ro reeve
# /srv/reeve is what `reeve init /srv/reeve` was given. Commands go to the same configuration and state:
#   docker exec CONTAINER node /app/bin/reeve.js status
# Host network, because Reeve listens on loopback by default and most engines do too. To publish a port instead, set
# http.listen in reeve.yaml; a tmpfs at /tmp is not needed. --init reaps what a command engine leaves behind.
#
# A tag can be moved, a digest cannot: both are given, and the digest decides. It is the index of all platforms, as
# https://github.com/docker-library/repo-info/blob/master/repos/node/remote/24-slim.md recorded it on 2026-08-03. A newer
# one, where its registry can be asked:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{json .Manifest.Digest}}'
#   docker build --build-arg NODE_IMAGE=node:24-bookworm-slim --build-arg NODE_DIGEST=sha256:… -t reeve .
ARG NODE_IMAGE=node:24.19.0-bookworm-slim
ARG NODE_DIGEST=sha256:cd84903a12dbd26b46f1f3b8144a2568c41c5d37ddd0c7a80a34c7a19786b35f

FROM ${NODE_IMAGE}@${NODE_DIGEST} AS built
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json tsconfig.types.json ./
RUN npm ci --workspaces=false --no-audit --no-fund
COPY scripts/build.ts scripts/bundle.ts ./scripts/
COPY src ./src
RUN npm run build && npm prune --omit=dev --workspaces=false --no-audit --no-fund

FROM ${NODE_IMAGE}@${NODE_DIGEST}
LABEL org.opencontainers.image.title="Reeve" \
      org.opencontainers.image.description="Watches streaming channels, recognises trouble, does at most three guarded things about it, and pages a person for the rest." \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 reeve \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/lib/reeve --shell /usr/sbin/nologin reeve \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/reeve
WORKDIR /app
COPY --from=built /app/node_modules ./node_modules
COPY --from=built /app/dist ./dist
COPY package.json LICENSE README.md ./
COPY bin ./bin
COPY personas ./personas
COPY config ./config
# Without REEVE_CONFIG a command would read the starter that lies in /app/config.
ENV NODE_ENV=production STATE_DIRECTORY=/var/lib/reeve REEVE_CONFIG=/etc/reeve/reeve.yaml
USER 10001:10001
VOLUME /var/lib/reeve
EXPOSE 7433
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7433/healthz',{signal:AbortSignal.timeout(4000)}).then((r)=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/reeve.js"]
CMD ["run"]
