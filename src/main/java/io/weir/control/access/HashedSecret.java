package io.weir.control.access;

import java.security.MessageDigest;
import java.util.concurrent.Semaphore;
import java.util.regex.Pattern;
import org.springframework.security.crypto.bcrypt.BCrypt;

/**
 * A password of which only the bcrypt hash is known.
 *
 * <p>The hash is slow by design, tens of milliseconds, and no session remembers who signed in. So the digest of what was right last is
 * kept: whoever sends it again waits for nothing. And one hash at a time is worked out: strangers who guess cost one processor at
 * most, and no thread waits for them.
 */
final class HashedSecret implements Secret {

    private static final Pattern HASH = Pattern.compile("\\$2[aby]\\$\\d\\d\\$[./0-9A-Za-z]{53}");

    private final String hash;
    private final Semaphore turn = new Semaphore(1);
    private volatile byte[] known = {};

    HashedSecret(String hash) {
        this.hash = hash;
    }

    static boolean isHash(String text) {
        return HASH.matcher(text).matches();
    }

    /** @throws BusyException if another one is being worked out */
    @Override
    public boolean is(String sent) {
        byte[] digest = Secret.digest(sent);
        if (MessageDigest.isEqual(known, digest)) {
            return true;
        }
        if (!turn.tryAcquire()) {
            throw new BusyException();
        }
        try {
            boolean right = BCrypt.checkpw(sent, hash);
            if (right) {
                known = digest;
            }
            return right;
        } finally {
            turn.release();
        }
    }
}
