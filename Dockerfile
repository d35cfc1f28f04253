# The suite with its fixtures, as a user without rights; see docs/ci.md. Build: docker build -t ticdc-conformance .
FROM python:3.13-slim-bookworm AS build
WORKDIR /source
COPY . .
RUN python -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.13-slim-bookworm
LABEL org.opencontainers.image.title="ticdc-conformance" \
      org.opencontainers.image.description="Conformance suite for the messages that TiCDC writes to Kafka" \
      org.opencontainers.image.source="https://github.com/ticdc-conformance/ticdc-conformance" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY requirements/lock.txt /wheels/constraints.txt
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir --constraint /wheels/constraints.txt /wheels/*.whl \
    && rm -r /wheels \
    && useradd --create-home --uid 10001 conformance
USER 10001:10001
WORKDIR /work
ENTRYPOINT ["ticdc-conformance"]
CMD ["run"]
