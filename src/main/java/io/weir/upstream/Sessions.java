package io.weir.upstream;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which peer each session is at, for {@code sticky learn}. Bounded: the least recently used is forgotten first, and each
 * once it was not used for the timeout. Safe on every thread.
 *
 * <p>Sessions are known by their digest, so that long values cost no more and no value can be read from memory.
 */
final class Sessions {

    private record Key(long high, long low) {

        static Key of(String value) {
            try {
                byte[] digest = MessageDigest.getInstance("MD5").digest(value.getBytes(StandardCharsets.UTF_8));
                ByteBuffer bytes = ByteBuffer.wrap(digest);
                return new Key(bytes.getLong(), bytes.getLong());
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has MD5", e);
            }
        }
    }

    private static final class Session {

        private String sid;
        private long usedNanos;

        private Session(String sid, long usedNanos) {
            this.sid = sid;
            this.usedNanos = usedNanos;
        }
    }

    /** So many that have run out are removed with each change, so that they go sooner than they come. */
    private static final int SWEEP = 2;

    /** The least recently used first. */
    private final Map<Key, Session> sessions = new LinkedHashMap<>();

    private int most;
    private long timeoutNanos;

    Sessions(int most, long timeoutNanos) {
        this.most = most;
        this.timeoutNanos = timeoutNanos;
    }

    /** Takes other limits; what is known stays as far as they allow. */
    synchronized void limit(int sessionsAtMost, long timeout, long now) {
        most = sessionsAtMost;
        timeoutNanos = timeout;
        while (sessions.size() > most) {
            removeEldest(now, 0);
        }
    }

    /** The id of the peer that a session is at; null if it is not known. */
    @Nullable
    String find(String session, long now) {
        Key key = Key.of(session);
        synchronized (this) {
            Session known = sessions.get(key);
            return known == null || now - known.usedNanos >= timeoutNanos ? null : known.sid;
        }
    }

    /** Notes that a session was used at a peer; one that is not known is added only if it is {@code created}. */
    void use(String session, String sid, boolean created, long now) {
        Key key = Key.of(session);
        synchronized (this) {
            Session known = sessions.remove(key);
            boolean over = known != null && now - known.usedNanos >= timeoutNanos;
            if (known != null && !over) {
                known.sid = sid;
                known.usedNanos = now;
                sessions.put(key, known);
            } else if (created) {
                if (sessions.size() >= most) {
                    removeEldest(now, 0);
                }
                sessions.put(key, new Session(sid, now));
            }
            for (int i = 0; i < SWEEP; i++) {
                removeEldest(now, timeoutNanos);
            }
        }
    }

    synchronized int size() {
        return sessions.size();
    }

    /** Removes the least recently used if it was not used for so long. */
    private void removeEldest(long now, long unusedNanos) {
        Iterator<Session> eldest = sessions.values().iterator();
        if (eldest.hasNext() && now - eldest.next().usedNanos >= unusedNanos) {
            eldest.remove();
        }
    }
}
