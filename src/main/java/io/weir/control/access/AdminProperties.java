package io.weir.control.access;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What the control plane asks for. {@link Credentials} checks it: an annotation's message would show the secret.
 *
 * @param token secret that clients send as "Authorization: Bearer TOKEN", or by HTTP Basic as the password of the user "token"
 * @param username name of a user who signs in by HTTP Basic; goes with weir.admin.password
 * @param password that user's password, as it is or as "{bcrypt}" and its hash
 */
@ConfigurationProperties("weir.admin")
record AdminProperties(
        @Nullable String token,
        @Nullable String username,
        @Nullable String password) {

    /** Without the secrets. */
    @Override
    public String toString() {
        return "AdminProperties[username=" + username + "]";
    }
}
