package io.weir.config;

import java.util.ArrayList;
import java.util.List;

/**
 * The configuration that runs, and the one way to change it: prepare, which may refuse and changes nothing visible, then
 * commit, which only puts in place what is ready. nginx does the same when it tests a configuration and opens its sockets before a reload.
 *
 * <p>{@link #current()} is safe on every thread. Changes are made one at a time: whoever calls {@link #prepare} ends it
 * with {@link Change#commit} or {@link Change#abort} before the next is prepared.
 */
public final class ActiveConfig {

    /** A part of the running side that follows the configuration. */
    public interface Subscriber {

        /**
         * Gets ready for {@code next}: checks it, opens what must be opened. Nothing visible changes yet.
         *
         * @throws InvalidConfigException if it cannot run; what was opened is closed again by the subscriber
         */
        Prepared prepare(ProxyConfig current, ProxyConfig next);
    }

    /** A change that a subscriber is ready for. Exactly one of the two is called, once. */
    public interface Prepared {

        /** Makes it the running one. Has nothing left that may be refused, and makes nothing that is large. */
        void commit();

        /** Forgets it and frees what preparing took. Does not fail. */
        void abort();
    }

    /** A change that all subscribers are ready for. */
    public final class Change {

        private final ProxyConfig next;
        private final List<Prepared> parts;

        private Change(ProxyConfig next, List<Prepared> parts) {
            this.next = next;
            this.parts = parts;
        }

        /**
         * Makes it the running configuration, in the order of the subscribers. New requests follow it on return.
         *
         * @throws IncompleteCommitException if a part failed, which is a defect; the others follow it nevertheless, and it
         *     is {@link #current()}, so that preparing the next change makes up for what is missing
         */
        public void commit() {
            List<Throwable> failures = new ArrayList<>();
            for (Prepared part : parts) {
                try {
                    part.commit();
                } catch (RuntimeException | Error e) {
                    failures.add(e);
                }
            }
            current = next;
            if (!failures.isEmpty()) {
                throw new IncompleteCommitException(failures);
            }
        }

        /** Leaves everything as it was. */
        public void abort() {
            RuntimeException failed = new IllegalStateException("a change could not be dropped whole");
            ActiveConfig.abort(parts, failed);
            if (failed.getSuppressed().length > 0) {
                throw failed;
            }
        }
    }

    private final List<Subscriber> subscribers;
    private volatile ProxyConfig current = ProxyConfig.EMPTY;

    /** @param subscribers in the order in which they are prepared and committed */
    public ActiveConfig(List<Subscriber> subscribers) {
        this.subscribers = List.copyOf(subscribers);
    }

    public ProxyConfig current() {
        return current;
    }

    /**
     * Asks every subscriber to get ready for {@code next}.
     *
     * @throws InvalidConfigException if one refuses; nothing has changed then
     */
    public Change prepare(ProxyConfig next) {
        List<Prepared> parts = new ArrayList<>();
        try {
            for (Subscriber subscriber : subscribers) {
                parts.add(subscriber.prepare(current, next));
            }
        } catch (RuntimeException | Error e) {
            // an OutOfMemoryError too: what was too large is garbage by now
            abort(parts, e);
            throw e;
        }
        return new Change(next, parts);
    }

    /** Each part is dropped, whatever becomes of the others; {@code cause} gets to know what failed. */
    private static void abort(List<Prepared> parts, Throwable cause) {
        for (int i = parts.size() - 1; i >= 0; i--) {
            try {
                parts.get(i).abort();
            } catch (RuntimeException | Error e) {
                cause.addSuppressed(e);
            }
        }
    }
}
