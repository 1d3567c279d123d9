package io.weir.proxy.http;

import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.Map;

/** Heads that Netty has decoded, as Weir's own. */
final class NettyHeads {

    private NettyHeads() {}

    static RequestHead of(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            Throwable cause = request.decoderResult().cause();
            return RequestHead.refused(
                    cause instanceof TooLongHttpLineException
                            ? 414
                            : cause instanceof TooLongHttpHeaderException ? 431 : 400);
        }
        return new RequestHead(
                request.method().name(), request.uri(), version(request.protocolVersion()), of(request.headers()), 0);
    }

    static ResponseHead of(HttpResponse response) {
        if (response.decoderResult().isFailure()) {
            return ResponseHead.INVALID;
        }
        return new ResponseHead(
                response.status().code(),
                response.status().reasonPhrase(),
                version(response.protocolVersion()),
                of(response.headers()));
    }

    private static int version(HttpVersion version) {
        return version.majorVersion() * 10 + version.minorVersion();
    }

    static HttpFields of(HttpHeaders headers) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        int[] at = new int[headers.size() * HttpFields.STRIDE];
        int places = 0;
        for (Iterator<Map.Entry<CharSequence, CharSequence>> it = headers.iteratorCharSequence(); it.hasNext(); ) {
            Map.Entry<CharSequence, CharSequence> field = it.next();
            for (CharSequence word : new CharSequence[] {field.getKey(), field.getValue()}) {
                at[places++] = bytes.size();
                bytes.writeBytes(word.toString().getBytes(StandardCharsets.ISO_8859_1));
                at[places++] = bytes.size();
            }
        }
        return new HttpFields(bytes.toByteArray(), at);
    }
}
