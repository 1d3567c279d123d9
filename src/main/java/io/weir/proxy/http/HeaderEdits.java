package io.weir.proxy.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.util.AsciiString;
import io.weir.config.HeaderRules;
import org.jspecify.annotations.Nullable;

/** Changes to header fields, compiled. Immutable. */
final class HeaderEdits {

    private final AsciiString[] setNames;
    private final Text[] setValues;
    private final AsciiString[] removed;

    HeaderEdits(HeaderRules rules) {
        setNames = rules.set().keySet().stream().map(AsciiString::new).toArray(AsciiString[]::new);
        setValues = rules.set().values().stream().map(Text::compile).toArray(Text[]::new);
        removed = rules.remove().stream().map(AsciiString::new).toArray(AsciiString[]::new);
    }

    /** Whether a field of the message is left out, since it is set anew or removed. */
    boolean replaces(CharSequence name) {
        return contains(setNames, name) || contains(removed, name);
    }

    /** Whether a field of this name is set, to whatever. */
    boolean sets(AsciiString name) {
        return contains(setNames, name);
    }

    private static boolean contains(AsciiString[] names, CharSequence name) {
        for (AsciiString candidate : names) {
            if (candidate.length() == name.length() && candidate.contentEqualsIgnoreCase(name)) {
                return true;
            }
        }
        return false;
    }

    /** The value that a field is set to; null if it is not set or set to nothing. */
    @Nullable
    String valueOf(AsciiString name, Exchange exchange) {
        for (int i = 0; i < setNames.length; i++) {
            if (setNames[i].contentEqualsIgnoreCase(name)) {
                String value = setValues[i].of(exchange);
                return value.isEmpty() ? null : value;
            }
        }
        return null;
    }

    /** Writes the fields that are set, but {@code except} and those without a value. */
    void write(ByteBuf out, Exchange exchange, AsciiString except) {
        for (int i = 0; i < setNames.length; i++) {
            if (!setNames[i].contentEqualsIgnoreCase(except)) {
                String value = setValues[i].of(exchange);
                if (!value.isEmpty()) {
                    writeField(out, setNames[i], value);
                }
            }
        }
    }

    /** Writes one field; whatever could end its line early becomes a space. */
    static void writeField(ByteBuf out, AsciiString name, String value) {
        out.writeBytes(name.array(), name.arrayOffset(), name.length());
        out.writeShort(HeadWriter.COLON_SP);
        int at = out.writerIndex();
        ByteBufUtil.writeAscii(out, value);
        for (int i = at; i < out.writerIndex(); i++) {
            // a variable may bring what a client encoded in its path
            byte b = out.getByte(i);
            if (b >= 0 && b < ' ' && b != '\t' || b == 127) {
                out.setByte(i, ' ');
            }
        }
        out.writeShort(HeadWriter.CR_LF);
    }
}
