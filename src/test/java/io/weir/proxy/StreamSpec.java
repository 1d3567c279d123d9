package io.weir.proxy;

import io.weir.config.AccessLogConfig;
import io.weir.config.AccessLogConfig.Escape;
import io.weir.config.AccessRule;
import io.weir.config.ByteSize;
import io.weir.config.Cidr;
import io.weir.config.ListenerProtocol;
import io.weir.config.ProxyHeaderVersion;
import io.weir.config.RealIpConfig;
import io.weir.config.StreamClientSettings;
import io.weir.config.StreamListenerConfig;
import io.weir.config.StreamRouteConfig;
import io.weir.config.StreamSettings;
import io.weir.config.TimeSpan;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A stream listener of a test, built up from nginx's defaults. */
final class StreamSpec {

    private String upstream;
    private ListenerProtocol protocol = ListenerProtocol.TCP;
    private String bind = "127.0.0.1";
    private int requests;
    private Integer responses;
    private boolean proxyProtocol;
    private RealIpConfig realIp;
    private AccessLogConfig log = AccessLogConfig.STREAM_DEFAULT;
    private final List<AccessRule> access = new ArrayList<>();
    private String headerTimeout = "30s";
    private String prereadTimeout = "30s";
    private String prereadBuffer = "16k";
    private int maxConnections;
    private int maxPerAddress;
    private boolean preread;
    private final List<StreamRouteConfig> routes = new ArrayList<>();
    private String connectTimeout = "60s";
    private String timeout = "10m";
    private boolean halfClose;
    private boolean nextUpstream = true;
    private int tries;
    private String nextTimeout = "0s";
    private long uploadRate;
    private long downloadRate;
    private String buffer = "16k";
    private ProxyHeaderVersion version;
    private boolean drop;

    private StreamSpec(String upstream) {
        this.upstream = upstream;
    }

    static StreamSpec to(String upstream) {
        return new StreamSpec(upstream);
    }

    /** One whose routes are all that it has. */
    static StreamSpec routing() {
        return new StreamSpec(null).preread();
    }

    /** One of UDP, whose servers send any number of answers. */
    static StreamSpec datagramsTo(String upstream) {
        StreamSpec spec = new StreamSpec(upstream);
        spec.protocol = ListenerProtocol.UDP;
        return spec;
    }

    StreamSpec bind(String address) {
        bind = address;
        return this;
    }

    StreamSpec requests(int most) {
        requests = most;
        return this;
    }

    StreamSpec responses(int each) {
        responses = each;
        return this;
    }

    StreamSpec expectingHeader() {
        proxyProtocol = true;
        return this;
    }

    StreamSpec headerTimeout(String time) {
        headerTimeout = time;
        return this;
    }

    StreamSpec realIp(String trusted) {
        realIp = new RealIpConfig(List.of(Cidr.parse(trusted)), RealIpConfig.PROXY_PROTOCOL, false);
        return this;
    }

    StreamSpec log(Path file, String format) {
        log = new AccessLogConfig(file.toString(), format, Escape.DEFAULT, null);
        return this;
    }

    StreamSpec allow(String range) {
        access.add(AccessRule.parse(true, range));
        return this;
    }

    StreamSpec deny(String range) {
        access.add(AccessRule.parse(false, range));
        return this;
    }

    StreamSpec maxConnections(int most) {
        maxConnections = most;
        return this;
    }

    StreamSpec maxPerAddress(int most) {
        maxPerAddress = most;
        return this;
    }

    StreamSpec preread() {
        preread = true;
        return this;
    }

    StreamSpec preread(String time, String size) {
        prereadTimeout = time;
        prereadBuffer = size;
        return preread();
    }

    StreamSpec route(String name, String hosts, String alpn, String group) {
        routes.add(new StreamRouteConfig(name, list(hosts), list(alpn), group));
        return this;
    }

    private static List<String> list(String text) {
        return text.isEmpty() ? List.of() : Arrays.asList(text.split(" "));
    }

    StreamSpec connectTimeout(String time) {
        connectTimeout = time;
        return this;
    }

    StreamSpec timeout(String time) {
        timeout = time;
        return this;
    }

    StreamSpec halfClose() {
        halfClose = true;
        return this;
    }

    StreamSpec onlyOneUpstream() {
        nextUpstream = false;
        return this;
    }

    StreamSpec tries(int most) {
        tries = most;
        return this;
    }

    StreamSpec nextTimeout(String time) {
        nextTimeout = time;
        return this;
    }

    StreamSpec uploadRate(long rate) {
        uploadRate = rate;
        return this;
    }

    StreamSpec downloadRate(long rate) {
        downloadRate = rate;
        return this;
    }

    StreamSpec buffer(String size) {
        buffer = size;
        return this;
    }

    StreamSpec sending(ProxyHeaderVersion header) {
        version = header;
        return this;
    }

    StreamSpec dropping() {
        drop = true;
        return this;
    }

    StreamListenerConfig config(String name, int port) {
        return new StreamListenerConfig(
                name,
                protocol,
                bind,
                port,
                proxyProtocol,
                realIp,
                log,
                new StreamClientSettings(
                        access,
                        TimeSpan.parse(headerTimeout),
                        TimeSpan.parse(prereadTimeout),
                        ByteSize.parse(prereadBuffer),
                        maxConnections,
                        maxPerAddress),
                preread,
                routes,
                upstream,
                new StreamSettings(
                        TimeSpan.parse(connectTimeout),
                        TimeSpan.parse(timeout),
                        halfClose,
                        nextUpstream,
                        tries,
                        TimeSpan.parse(nextTimeout),
                        requests,
                        responses,
                        ByteSize.of(uploadRate),
                        ByteSize.of(downloadRate),
                        ByteSize.parse(buffer),
                        version,
                        drop));
    }
}
