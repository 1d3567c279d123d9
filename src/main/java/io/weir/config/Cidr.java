package io.weir.config;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A range of IP addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or a single address.
 *
 * <p>An IPv4-mapped IPv6 range is the IPv4 range, as Java takes a mapped address for the IPv4 address.
 *
 * @param text as the operator wrote it
 * @param network the first address; bits beyond the prefix are 0 here, whatever the text has
 * @param prefix bits that count, 0 to 32 or 128
 */
public record Cidr(String text, InetAddress network, int prefix) {

    private static final Pattern SYNTAX = Pattern.compile("([0-9A-Fa-f:.]+)(?:/(0|[1-9]\\d{0,2}))?");
    private static final int MAPPED_BITS = 96;

    /**
     * Reads a range; names are not looked up.
     *
     * @throws InvalidConfigException on anything else, with an empty field
     */
    public static Cidr parse(String text) {
        Matcher m = SYNTAX.matcher(text);
        if (!m.matches()) {
            throw bad("must be an IP address or a range such as 10.0.0.0/8");
        }
        String address = m.group(1);
        boolean v4 = IpAddresses.isV4(address);
        if (!v4 && !IpAddresses.isV6(address)) {
            throw bad("is not a valid IP address");
        }
        int most = v4 ? 32 : 128;
        int prefix = m.group(2) == null ? most : Integer.parseInt(m.group(2));
        if (prefix > most) {
            throw bad("must have a prefix of at most " + most);
        }
        byte[] bytes = bytes(address);
        if (!v4 && bytes.length == 4) {
            if (prefix < MAPPED_BITS) {
                throw bad("must have a prefix of 96 or more, or be an IPv4 range");
            }
            prefix -= MAPPED_BITS;
        }
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] &= (byte) mask(prefix, i);
        }
        return new Cidr(text, address(bytes), prefix);
    }

    private static InvalidConfigException bad(String message) {
        return new InvalidConfigException("", message);
    }

    private static byte[] bytes(String literal) {
        try {
            return InetAddress.getByName(literal).getAddress();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(literal, e);
        }
    }

    private static InetAddress address(byte[] bytes) {
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(Arrays.toString(bytes), e);
        }
    }

    /** The bits of byte {@code i} that belong to a prefix. */
    private static int mask(int prefix, int i) {
        int bits = Math.max(0, Math.min(8, prefix - 8 * i));
        return 0xff << 8 - bits & 0xff;
    }

    public boolean contains(InetAddress address) {
        byte[] ours = network.getAddress();
        byte[] theirs = address.getAddress();
        if (ours.length != theirs.length) {
            return false;
        }
        for (int i = 0; i < ours.length && 8 * i < prefix; i++) {
            if ((theirs[i] & mask(prefix, i)) != (ours[i] & 0xff)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public String toString() {
        return text;
    }
}
