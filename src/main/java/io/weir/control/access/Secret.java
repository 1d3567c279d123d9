package io.weir.control.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Something that a client must know. */
@FunctionalInterface
interface Secret {

    /** Whether this is what was sent. */
    boolean is(String sent);

    /** Compares digests in constant time, so that how long it takes tells neither the text nor its length. */
    static Secret plain(String secret) {
        byte[] digest = digest(secret);
        return sent -> MessageDigest.isEqual(digest, digest(sent));
    }

    static byte[] digest(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
