package io.weir.proxy;

import static io.weir.proxy.StreamSpec.to;
import static io.weir.proxy.Streams.echo;
import static io.weir.proxy.Streams.servers;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.config.AccessLogConfig;
import io.weir.config.StreamVariable;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is logged of a session: stream.md section 10. */
@ExtendWith(Leaks.class)
class StreamLogTest {

    private static void talk(Streams streams) throws Exception {
        try (Client client = streams.connect()) {
            client.send("hello");
            assertThat(client.in().readNBytes(5)).hasSize(5);
        }
    }

    @Test
    void basicIsThatOfNginxsExamples() throws Exception {
        try (Backend backend = echo();
                Streams streams =
                        Streams.startLogging(AccessLogConfig.BASIC, to("app"), servers("app", backend.address()))) {
            talk(streams);
            assertThat(streams.session())
                    .matches("127\\.0\\.0\\.1 \\[.*] TCP 200 5 5 0\\.000 \"" + backend.address()
                            + "\" \"5\" \"5\" \"0\\.000\"");
        }
    }

    @Test
    void jsonIsOneObjectForEachSession() throws Exception {
        String dead = "127.0.0.1:" + Proxy.freePort();
        try (Backend backend = echo();
                Streams streams = Streams.startLogging(
                        AccessLogConfig.JSON, to("app"), servers("app", dead, backend.address()))) {
            talk(streams);
            assertThat(streams.session().replaceFirst("\"time\":\"[^\"]*\"", "\"time\":\"\""))
                    .isEqualTo("{\"time\":\"\",\"listener\":\"tcp\",\"protocol\":\"TCP\",\"remote_addr\":\"127.0.0.1\","
                            + "\"status\":200,\"bytes_received\":5,\"bytes_sent\":5,\"session_time\":0.000,\"upstream\":\"app\","
                            + "\"attempts\":[{\"addr\":\"" + dead
                            + "\",\"status\":502,\"session_time\":0.000,\"bytes_sent\":0,\"bytes_received\":0},{\"addr\":\""
                            + backend.address()
                            + "\",\"status\":200,\"connect_time\":0.000,\"first_byte_time\":0.000,\"session_time\":0.000,"
                            + "\"bytes_sent\":5,\"bytes_received\":5}]}");
        }
    }

    /** Each that the configuration takes has a value, or a hyphen for none. */
    @Test
    void everyVariableIsKnown() throws Exception {
        List<String> names = new ArrayList<>(new TreeSet<>(StreamVariable.names()));
        StringBuilder format = new StringBuilder();
        names.forEach(name -> format.append(name).append("=$").append(name).append(';'));
        try (Backend backend = echo();
                Streams streams = Streams.startLogging(
                        format.toString(), to("app").preread(), servers("app", backend.address()))) {
            talk(streams);
            String line = streams.session();
            assertThat(line)
                    .contains(";bytes_received=5;bytes_sent=5;connection=")
                    .contains(";protocol=TCP;proxy_protocol_addr=-;proxy_protocol_port=-;proxy_protocol_server_addr=-;")
                    .contains(";realip_remote_addr=127.0.0.1;")
                    .contains(";server_addr=127.0.0.1;server_port=" + streams.port() + ";session_time=0.000;")
                    .contains(
                            ";ssl_preread_alpn_protocols=-;ssl_preread_protocol=-;ssl_preread_server_name=-;status=200;")
                    .contains(";upstream_addr=" + backend.address()
                            + ";upstream_bytes_received=5;upstream_bytes_sent=5;upstream_connect_time=0.000;"
                            + "upstream_first_byte_time=0.000;upstream_session_time=0.000;")
                    .doesNotContain("$");
            assertThat(line.chars().filter(c -> c == ';').count()).isEqualTo(names.size());
        }
    }

    @Test
    void sessionsCountForTheirGroupAndTheirPeer() throws Exception {
        try (Backend backend = echo();
                Streams streams = Streams.start(to("app"), servers("app", backend.address()))) {
            talk(streams);
            streams.session();
            assertThat(streams.proxy().peers("app").get(0).conns()).isZero();
            assertThat(streams.proxy().peers("app").get(0).totals().sentBytes()).isEqualTo(5);
            assertThat(streams.proxy().peers("app").get(0).totals().receivedBytes())
                    .isEqualTo(5);
        }
    }
}
