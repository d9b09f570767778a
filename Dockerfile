# This image runs the service from this repository. `gatehouse init` creates a Dockerfile for your own project.
FROM node:26-slim AS build
WORKDIR /src
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
COPY --from=build /src/package.json ./
COPY --from=build /src/bin ./bin
COPY --from=build /src/dist ./dist
COPY --from=build /src/console/dist ./console/dist
COPY --from=build /src/node_modules ./node_modules
# The service writes only to /data, so the root file system can be read-only.
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Start the service without npm, so that it receives SIGTERM directly.
CMD ["node", "bin/gatehouse.mjs", "serve"]
