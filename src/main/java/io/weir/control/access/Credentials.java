package io.weir.control.access;

import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AuthenticationManager;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;

/**
 * The credentials that the control plane asks for: a token, a user with a password, both, or none. Each gives all rights.
 *
 * <p>Threads: any. What is refused is always refused in the same way, and plain secrets are compared in constant time, so that
 * neither the answer nor the time it takes tells anything about them.
 */
final class Credentials implements AuthenticationManager {

    /** The user as whom the token signs in, so that a browser can be given it. */
    static final String TOKEN_USER = "token";

    private static final String TOKEN = "weir.admin.token";
    private static final String USERNAME = "weir.admin.username";
    private static final String PASSWORD = "weir.admin.password";
    private static final String HASHED = "{bcrypt}";

    /** What a header field can carry: RFC 6750 is stricter, curl and proxies are not. */
    private static final Pattern SENDABLE = Pattern.compile("[\\x21-\\x7e]+");

    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");

    private final @Nullable Secret token;
    private final @Nullable Secret username;
    private final @Nullable Secret password;

    private Credentials(@Nullable Secret token, @Nullable Secret username, @Nullable Secret password) {
        this.token = token;
        this.username = username;
        this.password = password;
    }

    /** @throws AccessException if something is missing, empty, or cannot be sent */
    static Credentials of(AdminProperties properties) {
        String token = properties.token();
        String username = properties.username();
        String password = properties.password();
        if (token != null) {
            check(TOKEN, token);
            if (!SENDABLE.matcher(token).matches()) {
                throw invalid(
                        TOKEN, "has white space or characters other than those of ASCII, which no client can send");
            }
        }
        if (username == null && password == null) {
            return new Credentials(token == null ? null : Secret.plain(token), null, null);
        }
        if (username == null || password == null) {
            String missing = username == null ? USERNAME : PASSWORD;
            throw invalid(missing, "is missing: " + USERNAME + " and " + PASSWORD + " go together");
        }
        check(USERNAME, username);
        check(PASSWORD, password);
        if (username.indexOf(':') >= 0) {
            throw invalid(USERNAME, "has a colon, which ends a name in HTTP Basic");
        }
        if (username.equals(TOKEN_USER)) {
            throw invalid(USERNAME, "is '" + TOKEN_USER + "', the user as whom " + TOKEN + " signs in");
        }
        return new Credentials(token == null ? null : Secret.plain(token), Secret.plain(username), secret(password));
    }

    private static void check(String property, String value) {
        if (value.isBlank()) {
            throw invalid(property, "is set, but empty");
        }
        if (CONTROL.matcher(value).find()) {
            throw invalid(property, "has a line end or another control character, which no client can send");
        }
    }

    private static Secret secret(String password) {
        if (!password.startsWith(HASHED)) {
            return Secret.plain(password);
        }
        String hash = password.substring(HASHED.length());
        if (!HashedSecret.isHash(hash)) {
            throw invalid(PASSWORD, "begins with " + HASHED + ", but no hash of bcrypt follows, such as $2y$10$...");
        }
        return new HashedSecret(hash);
    }

    private static AccessException invalid(String property, String message) {
        return new AccessException(
                property + " " + message + ".",
                "Correct " + property + ", or the environment variable or file that it comes from; or leave it out.");
    }

    /** Whether there are any. */
    boolean areAsked() {
        return token != null || username != null;
    }

    @Override
    public Authentication authenticate(Authentication attempt) {
        String name = attempt.getName();
        String sent = Objects.toString(attempt.getCredentials(), "");
        if (!isRight(name, sent)) {
            throw new BadCredentialsException("wrong credentials");
        }
        return UsernamePasswordAuthenticationToken.authenticated(name, null, AuthorityUtils.NO_AUTHORITIES);
    }

    private boolean isRight(String name, String sent) {
        if (name.equals(TOKEN_USER)) {
            return token != null && token.is(sent);
        }
        // both in any case: the time must not tell that the name is right
        return username != null && password != null && username.is(name) & password.is(sent);
    }
}
