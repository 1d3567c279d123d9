package io.weir.program;

import io.weir.proxy.HttpText;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Reads a response as it comes and compares its body with what was asked for. */
final class SoakResponse {

    private final SoakRequest request;
    private final InputStream in;
    private final long pauseMillis;
    private final byte[] buffer = new byte[16 * 1024];
    private final StringBuilder text = new StringBuilder();
    private String head = "";
    private int status;
    private int position;
    private boolean broken;

    /** Whether the head said how long the body is, so that what is too short can be seen. */
    private boolean framed;

    private SoakResponse(SoakRequest request, InputStream in, long pauseMillis) {
        this.request = request;
        this.in = in;
        this.pauseMillis = pauseMillis;
    }

    /**
     * Reads all of it.
     *
     * @param pauseMillis before each 16 KB
     * @throws IOException if there is none, or it is none
     * @throws IllegalStateException if it is wrong
     */
    static SoakResponse read(SoakRequest request, InputStream in, long pauseMillis)
            throws IOException, InterruptedException {
        SoakResponse response = new SoakResponse(request, in, pauseMillis);
        response.readHead();
        try {
            response.readBody();
        } catch (EOFException | SocketException e) {
            response.broken = true;
        }
        response.check();
        return response;
    }

    int status() {
        return status;
    }

    /** Whether the body ended too early, for all to see. */
    boolean isBroken() {
        return broken;
    }

    boolean isLast() {
        return broken || !framed || "close".equalsIgnoreCase(HttpText.field(head, "Connection"));
    }

    /** Passes over what is no more than leave to send a body. */
    private void readHead() throws IOException {
        do {
            head = HttpText.readHead(in);
            if (head == null) {
                throw new EOFException("closed without an answer");
            }
            status = Integer.parseInt(head.substring(9, 12));
        } while (status == 100);
    }

    private void readBody() throws IOException, InterruptedException {
        String length = HttpText.field(head, "Content-Length");
        boolean chunked = HttpText.field(head, "Transfer-Encoding") != null;
        framed = chunked || length != null || request.method().equals("HEAD");
        if (request.method().equals("HEAD")) {
            if (status == 200 && length != null && Integer.parseInt(length) != request.size()) {
                throw new IllegalStateException("told of " + length + " bytes");
            }
        } else if (chunked) {
            for (int size = readSize(); size > 0; size = readSize()) {
                take(size);
                readLine();
            }
            readLine();
        } else if (length != null) {
            take(Integer.parseInt(length));
        } else {
            takeAll();
        }
    }

    private int readSize() throws IOException {
        return Integer.parseInt(readLine(), 16);
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException();
            }
            line.append((char) b);
        }
        return line.toString().strip();
    }

    private void take(int length) throws IOException, InterruptedException {
        for (int left = length; left > 0; ) {
            int got = next(Math.min(left, buffer.length));
            if (got < 0) {
                throw new EOFException();
            }
            left -= got;
        }
    }

    private void takeAll() throws IOException, InterruptedException {
        while (next(buffer.length) >= 0) {
            // to the end
        }
    }

    private int next(int most) throws IOException, InterruptedException {
        if (pauseMillis > 0) {
            Thread.sleep(pauseMillis);
        }
        int got = in.read(buffer, 0, most);
        if (got > 0 && status == 200 && !request.isUpload()) {
            if (!SeededBytes.matches(request.id(), position, buffer, got)) {
                throw new IllegalStateException("wrong bytes after " + position);
            }
        } else if (got > 0 && request.isUpload()) {
            text.append(new String(buffer, 0, got, StandardCharsets.ISO_8859_1));
        }
        position += Math.max(0, got);
        return got;
    }

    private void check() {
        String id = HttpText.field(head, "X-Id");
        if (id != null && !id.equals(Integer.toString(request.id()))) {
            throw new IllegalStateException("the answer to " + id);
        }
        if (!request.allows(status)) {
            throw new IllegalStateException("status " + status);
        }
        if (status != 200) {
            return;
        }
        if (id == null) {
            throw new IllegalStateException("200 of nobody: " + head);
        }
        if (!framed && position < request.size() && !request.isUpload()) {
            // an end that HTTP/1.0 can not tell from a good one
            broken = true;
        }
        if (broken && !request.allowsBrokenBody()) {
            throw new IllegalStateException("ended after " + position + " bytes: " + head);
        }
        if (!broken && request.isUpload()) {
            checkUpload();
        } else if (!broken && !request.method().equals("HEAD") && position != request.size()) {
            throw new IllegalStateException(
                    "a good end after " + position + " of " + request.size() + " bytes: " + head);
        }
    }

    private void checkUpload() {
        byte[] sent = SeededBytes.of(request.id(), request.size());
        String expected = SeededBytes.checksum(sent) + " " + sent.length;
        boolean early = request.mischief().equals("early")
                && Arrays.asList("early", expected).contains(text.toString());
        if (!early && !text.toString().equals(expected)) {
            throw new IllegalStateException("arrived as " + text + " instead of " + expected);
        }
    }
}
