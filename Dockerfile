# Weir in a container; docs/container.md tells how to run it.

FROM maven:3.9-eclipse-temurin-25-noble AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.m2 mvn -B -ntp -Dmaven.test.skip=true package
RUN cp target/weir-*.jar weir.jar \
    && java -Djarmode=tools -jar weir.jar extract --layers --destination layers
# The loader looks into java.library.path first, and would unpack them to /tmp otherwise.
RUN for jar in layers/dependencies/lib/netty-transport-native-epoll-*-linux-*.jar; do \
        jar --extract --file "$jar" META-INF/native || exit 1; \
    done

FROM eclipse-temurin:25-jre-noble
LABEL org.opencontainers.image.title="Weir" \
      org.opencontainers.image.description="A load balancer that an operator changes while it carries traffic" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN groupadd --gid 10001 weir \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin weir \
    && install -d -o weir -g weir -m 0750 /data

# What changes least comes first, so that a new version is a small layer.
COPY --from=build /build/layers/dependencies/ /app/
COPY --from=build /build/layers/snapshot-dependencies/ /app/
COPY --from=build /build/META-INF/native/ /app/native/
COPY --chmod=0555 deploy/image/ready /app/ready
COPY deploy/image/java.options LICENSE /app/
COPY --from=build /build/layers/application/ /app/

# Starts as far as all beans go, without listening, and keeps what Java has loaded: the archive belongs to this very Java, these
# files and these options, and so is made here. It starts on loopback, which asks for no credentials, and on a database of its own.
RUN mkdir /tmp/training && cd /tmp/training \
    && java @/app/java.options -XX:AOTCacheOutput=/app/weir.aot -Dspring.context.exit=onRefresh -jar /app/weir.jar \
    && rm -rf /tmp/training

# Beyond loopback, Weir does not start without WEIR_ADMIN_TOKEN. There is no default for it.
ENV SERVER_ADDRESS=0.0.0.0
# All that Weir writes is below ./data: from here, that is the volume.
WORKDIR /
VOLUME /data
USER 10001:10001
# 8000: the first listener, 8080: control plane
EXPOSE 8000 8080
HEALTHCHECK --interval=5s --timeout=4s --start-period=60s --retries=3 CMD ["/app/ready"]
ENTRYPOINT ["java", "@/app/java.options", "-XX:AOTCache=/app/weir.aot", "-jar", "/app/weir.jar"]
