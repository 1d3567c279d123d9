package io.weir.control.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.crypto.bcrypt.BCrypt;

class CredentialsTest {

    private static final AdminProperties NONE = new AdminProperties(null, null, null);

    @ParameterizedTest
    @CsvSource({
        "'', , , weir.admin.token",
        "' ', , , weir.admin.token",
        "'two words', , , weir.admin.token",
        "'a line\n', , , weir.admin.token",
        "clé, , , weir.admin.token",
        ", ann, , weir.admin.password",
        ", , secret, weir.admin.username",
        "t0ken, ann, , weir.admin.password",
        "t0ken, , secret, weir.admin.username",
        ", '', secret, weir.admin.username",
        ", ann, '', weir.admin.password",
        ", ann, '  ', weir.admin.password",
        ", ann, 'secret\r', weir.admin.password",
        ", a:nn, secret, weir.admin.username",
        ", token, secret, weir.admin.username",
        ", ann, {bcrypt}secret, weir.admin.password",
        ", ann, {bcrypt}, weir.admin.password",
    })
    void whatIsHalfConfiguredIsRefusedByItsName(String token, String username, String password, String property) {
        AdminProperties properties = new AdminProperties(token, username, password);
        assertThatThrownBy(() -> Credentials.of(properties)).isInstanceOfSatisfying(AccessException.class, e -> {
            assertThat(e).hasMessageStartingWith(property + " ").hasMessageNotContaining("secret");
            assertThat(e.action()).contains(property);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0.0.0.0", "::", "192.0.2.1", "no.such.host.invalid"})
    void openToOthersAndWithoutCredentialsItDoesNotStart(String address) {
        assertThatThrownBy(() -> open(NONE, address, "", ""))
                .isInstanceOfSatisfying(
                        AccessException.class, e -> assertThat(e.action()).contains("server.address"));
        assertThatThrownBy(() -> open(NONE, "127.0.0.1", "9090", address))
                .isInstanceOfSatisfying(
                        AccessException.class, e -> assertThat(e.action()).contains("management.server.address"));
        for (AdminProperties some : new AdminProperties[] {
            new AdminProperties("secret", null, null), new AdminProperties(null, "ann", "secret")
        }) {
            assertThatCode(() -> open(some, address, "9090", address)).doesNotThrowAnyException();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.0.0.2", "::1", "localhost"})
    void onLoopbackItNeedsNone(String address) {
        assertThatCode(() -> open(NONE, address, "", "")).doesNotThrowAnyException();
        assertThatCode(() -> open(NONE, "127.0.0.1", "9090", address)).doesNotThrowAnyException();
        assertThat(Credentials.of(NONE).areAsked()).isFalse();
    }

    private static void open(AdminProperties properties, String address, String managementPort, String management) {
        new AccessConfiguration().authenticationManager(properties, address, managementPort, management);
    }

    @Test
    void tokenAndUserAreTakenForWhatTheyAre() {
        Credentials both = Credentials.of(new AdminProperties("t0ken", "ann", "pass word: ä"));
        assertThat(both.areAsked()).isTrue();
        assertThat(isRight(both, Credentials.TOKEN_USER, "t0ken")).isTrue();
        assertThat(isRight(both, "ann", "pass word: ä")).isTrue();
        assertThat(isRight(both, "ann", "t0ken")).isFalse();
        assertThat(isRight(both, "Ann", "pass word: ä")).isFalse();
        assertThat(isRight(both, Credentials.TOKEN_USER, "pass word: ä")).isFalse();
        assertThat(isRight(both, "", "")).isFalse();
        assertThat(isRight(both, Credentials.TOKEN_USER, "")).isFalse();
    }

    @Test
    void whatIsNotConfiguredIsNotRight() {
        Credentials token = Credentials.of(new AdminProperties("t0ken", null, null));
        assertThat(isRight(token, "", "")).isFalse();
        assertThat(isRight(token, "null", "null")).isFalse();
        Credentials user = Credentials.of(new AdminProperties(null, "ann", "secret"));
        assertThat(isRight(user, Credentials.TOKEN_USER, "")).isFalse();
        assertThat(isRight(user, Credentials.TOKEN_USER, "secret")).isFalse();
        Credentials none = Credentials.of(NONE);
        assertThat(isRight(none, "", "")).isFalse();
    }

    @Test
    void aPasswordMayBeGivenAsItsHash() {
        String hash = BCrypt.hashpw("secret", BCrypt.gensalt(4));
        // htpasswd writes 2y, Spring 2a
        for (String prefix : new String[] {"$2a$", "$2b$", "$2y$"}) {
            Credentials user =
                    Credentials.of(new AdminProperties(null, "ann", "{bcrypt}" + prefix + hash.substring(4)));
            assertThat(isRight(user, "ann", "secret")).isTrue();
            assertThat(isRight(user, "ann", "secret")).isTrue();
            assertThat(isRight(user, "bob", "secret")).isFalse();
            assertThat(isRight(user, "ann", "secret2")).isFalse();
            assertThat(isRight(user, "ann", hash)).isFalse();
        }
    }

    @Test
    void secretsAreNotInWhatIsPrinted() {
        assertThat(new AdminProperties("t0ken", "ann", "secret").toString())
                .contains("ann")
                .doesNotContain("t0ken", "secret");
    }

    private static boolean isRight(Credentials credentials, String name, String secret) {
        try {
            return credentials
                    .authenticate(UsernamePasswordAuthenticationToken.unauthenticated(name, secret))
                    .isAuthenticated();
        } catch (BadCredentialsException e) {
            return false;
        }
    }
}
