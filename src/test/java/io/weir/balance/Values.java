package io.weir.balance;

import io.weir.config.RequestValues;
import io.weir.config.Template;
import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/** A request of which a test says what it is. */
record Values(String key, @Nullable InetAddress clientAddress) implements RequestValues {

    static Values key(String key) {
        return new Values(key, null);
    }

    static Values client(String address) {
        try {
            return new Values("", InetAddress.getByName(address));
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public String value(Template template) {
        return key;
    }
}
