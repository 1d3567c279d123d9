package io.weir.proxy.stream;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Reads who a client of TLS wants to talk to from the first bytes of its connection, and leaves the bytes where they are.
 *
 * <p>As in nginx, a record is looked at when all of it is there, a hello may span records, and what is no hello, or is a
 * broken one, ends the search without any names: the bytes may well be for somebody who understands them.
 *
 * <p>Differs from nginx: what is wrong inside a hello is found when all of the hello is there, and the names that stand
 * before the fault do not count.
 *
 * <p>Each byte is looked at once, however small the pieces and the records are: the next search goes on where the last one
 * ended, bytes of a hello are gathered in an array that grows by doubling, and they are parsed when it is complete. How
 * much there may be is for the owner of the bytes to limit. Confined to one thread.
 *
 * @see <a href="https://nginx.org/en/docs/stream/ngx_stream_ssl_preread_module.html">ngx_stream_ssl_preread_module</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc8446#section-4.1.2">RFC 8446, section 4.1.2</a>
 */
final class ClientHello {

    enum State {
        /** There may be a hello, but more bytes are needed. */
        NEED_MORE,
        /** There was a hello. */
        DONE,
        /** There was none. */
        NOT_TLS
    }

    private static final int RECORD_HEADER = 5;
    private static final int HANDSHAKE = 22;

    /** Type and length, three bytes. */
    private static final int MESSAGE_HEADER = 4;

    private static final int CLIENT_HELLO = 1;
    private static final int RANDOM = 32;

    private static final int SERVER_NAME = 0;
    private static final int APPLICATION_PROTOCOLS = 16;
    private static final int SUPPORTED_VERSIONS = 43;

    private static final int SSL_3 = 0x0300;
    private static final int TLS_1_3 = 0x0304;

    private State state = State.NEED_MORE;
    private int consumed;
    private byte[] message = new byte[0];
    private int length;
    private String serverName = "";
    private String protocols = "";
    private int version = -1;

    /**
     * Goes on with what has come.
     *
     * @param in all bytes of the connection so far, from its reader index on; neither index is moved
     */
    State read(ByteBuf in) {
        while (state == State.NEED_MORE && in.readableBytes() - consumed >= RECORD_HEADER) {
            int record = in.readerIndex() + consumed;
            if (in.getByte(record) != HANDSHAKE) {
                readOldHello(in, record);
                return state;
            }
            if (in.getByte(record + 1) != 3) {
                return end(State.NOT_TLS);
            }
            int size = in.getUnsignedShort(record + 3);
            if (in.readableBytes() - consumed < RECORD_HEADER + size) {
                return state;
            }
            gather(in, record + RECORD_HEADER, size);
            consumed += RECORD_HEADER + size;
            readMessage();
        }
        return state;
    }

    /** A hello in the form of SSL 2, which has no names but says what the client would rather speak. */
    private void readOldHello(ByteBuf in, int at) {
        int major = in.getByte(at + 3);
        if (consumed == 0
                && (in.getByte(at) & 0x80) != 0
                && in.getByte(at + 2) == CLIENT_HELLO
                && (major == 0 || major == 3)) {
            version = in.getUnsignedShort(at + 3);
            end(State.DONE);
        } else {
            end(State.NOT_TLS);
        }
    }

    private void gather(ByteBuf in, int from, int size) {
        if (message.length - length < size) {
            message = Arrays.copyOf(message, Math.max(2 * message.length, length + size));
        }
        in.getBytes(from, message, length, size);
        length += size;
    }

    private void readMessage() {
        if (length > 0 && message[0] != CLIENT_HELLO) {
            end(State.NOT_TLS);
        } else if (length >= MESSAGE_HEADER) {
            int end = MESSAGE_HEADER + ((message[1] & 0xff) << 16 | (message[2] & 0xff) << 8 | message[3] & 0xff);
            if (length >= end) {
                end(readHello(new Cursor(message, MESSAGE_HEADER, end)) ? State.DONE : State.NOT_TLS);
            }
        }
    }

    private State end(State last) {
        state = last;
        message = new byte[0];
        if (last == State.NOT_TLS) {
            serverName = "";
            protocols = "";
            version = -1;
        }
        return last;
    }

    /** False if it is broken. */
    private boolean readHello(Cursor in) {
        version = in.twoBytes();
        in.skip(RANDOM);
        in.skip(in.oneByte()); // session
        in.skip(in.twoBytes()); // cipher suites
        in.skip(in.oneByte()); // compression methods
        if (in.isBroken() || in.isAtEnd()) {
            return !in.isBroken();
        }
        Cursor extensions = in.part(in.twoBytes());
        boolean named = false;
        boolean listed = false;
        while (!extensions.isBroken() && !extensions.isAtEnd()) {
            int type = extensions.twoBytes();
            Cursor extension = extensions.part(extensions.twoBytes());
            if (type == SERVER_NAME && !named) {
                named = true;
                serverName = serverName(extension);
            } else if (type == APPLICATION_PROTOCOLS && !listed) {
                listed = true;
                protocols = protocols(extension);
            } else if (type == SUPPORTED_VERSIONS) {
                // as in nginx: who knows the extension can do 1.3, whatever it lists
                version = TLS_1_3;
            }
            if (extension.isBroken()) {
                return false;
            }
        }
        return !in.isBroken() && !extensions.isBroken();
    }

    private static String serverName(Cursor extension) {
        Cursor list = extension.part(extension.twoBytes());
        boolean isHostName = list.oneByte() == 0;
        String name = list.text(list.twoBytes());
        if (!isHostName || list.isBroken()) {
            extension.fail();
        }
        return name;
    }

    private static String protocols(Cursor extension) {
        Cursor list = extension.part(extension.twoBytes());
        StringBuilder joined = new StringBuilder();
        while (!list.isBroken() && !list.isAtEnd()) {
            if (joined.length() > 0) {
                joined.append(',');
            }
            joined.append(list.text(list.oneByte()));
        }
        if (list.isBroken()) {
            extension.fail();
        }
        return joined.toString();
    }

    /** The name as the client sent it, one char for each byte; empty for none. */
    String serverName() {
        return serverName;
    }

    /** The application protocols that the client offers, joined by commas; empty for none. */
    String protocols() {
        return protocols;
    }

    /** The version that the client speaks, as nginx tells and names it: {@code TLSv1.3}; empty if there is no hello. */
    String version() {
        return switch (version) {
            case 2 -> "SSLv2";
            case SSL_3 -> "SSLv3";
            case SSL_3 + 1 -> "TLSv1";
            case SSL_3 + 2 -> "TLSv1.1";
            case SSL_3 + 3 -> "TLSv1.2";
            case TLS_1_3 -> "TLSv1.3";
            default -> "";
        };
    }

    /** A walk over bytes. Whoever reads beyond the end breaks it, and gets zeros and nothing from then on. */
    private static final class Cursor {

        private final byte[] bytes;
        private int at;
        private final int end;
        private boolean broken;

        Cursor(byte[] bytes, int from, int end) {
            this.bytes = bytes;
            this.at = from;
            this.end = end;
        }

        boolean isAtEnd() {
            return at == end;
        }

        boolean isBroken() {
            return broken;
        }

        void fail() {
            broken = true;
            at = end;
        }

        /** Passes over so many bytes; tells where they begin. */
        private int take(int count) {
            if (count > end - at) {
                fail();
                return -1;
            }
            at += count;
            return at - count;
        }

        void skip(int count) {
            take(count);
        }

        int oneByte() {
            int from = take(1);
            return from < 0 ? 0 : bytes[from] & 0xff;
        }

        int twoBytes() {
            int from = take(2);
            return from < 0 ? 0 : (bytes[from] & 0xff) << 8 | bytes[from + 1] & 0xff;
        }

        Cursor part(int count) {
            int from = take(count);
            return from < 0 ? new Cursor(bytes, end, end) : new Cursor(bytes, from, from + count);
        }

        String text(int count) {
            int from = take(count);
            return from < 0 ? "" : new String(bytes, from, count, StandardCharsets.ISO_8859_1);
        }
    }
}
