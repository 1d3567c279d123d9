package io.weir.program;

import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A request of a soak, and what may come of it.
 *
 * @param route the first part of the path, which decides about the group
 * @param mischief what wicked peers do to it, or nothing
 * @param frame of the response: length, chunked or close
 */
record SoakRequest(String method, String route, String mischief, int id, int size, String frame) {

    /** Routes whose group has good peers only. */
    private static final List<String> STEADY = List.of("buffered", "streamed", "limited", "sticky");

    /** Mischief in an answer's body, which no next upstream can make good. */
    private static final Set<String> BROKEN_BODIES =
            Set.of("reset-body", "short", "short-chunked", "bad-chunk", "stall-body");

    private static final List<String> FOR_GETS = List.of(
            "close",
            "reset",
            "garbage",
            "both",
            "500",
            "503",
            "surplus",
            "reset-body",
            "short",
            "short-chunked",
            "bad-chunk");

    private static final List<String> FOR_UPLOADS = List.of("close", "reset", "garbage", "both", "500", "503", "early");

    private static final List<String> FRAMES = List.of("length", "length", "chunked", "chunked", "close");

    /** One of any route. */
    static SoakRequest any(String method, int id, Random random) {
        int dice = random.nextInt(100);
        int size = size(random);
        if (dice < 50) {
            return steady(method, id, size, random);
        }
        boolean upload = method.startsWith("P");
        if (dice < 75) {
            // the end of the connection that a death is must not end a body well
            String frame = random.nextBoolean() ? "length" : "chunked";
            return new SoakRequest(method, random.nextBoolean() ? "mortal" : "mortal-streamed", "", id, size, frame);
        }
        List<String> mischief = upload ? FOR_UPLOADS : FOR_GETS;
        String chosen = method.equals("HEAD") ? "reset" : mischief.get(random.nextInt(mischief.size()));
        if (dice >= 97 && !method.equals("HEAD")) {
            chosen = upload || random.nextBoolean() ? "stall" : "stall-body";
            return new SoakRequest(method, "stalling", chosen, id, size + 2, "length");
        }
        String route = dice < 85 ? "wicked" : dice < 92 ? "wicked-streamed" : "hopeless";
        return new SoakRequest(method, route, chosen, id, size + 2, "length");
    }

    static SoakRequest steady(String method, int id, int size, Random random) {
        String route = STEADY.get(random.nextInt(STEADY.size()));
        return new SoakRequest(
                method,
                route,
                "",
                id,
                route.equals("limited") ? Math.min(size, 1_000_000) : size,
                FRAMES.get(random.nextInt(FRAMES.size())));
    }

    /** Mostly small ones, 5 MB at the most. */
    private static int size(Random random) {
        int dice = random.nextInt(100);
        return dice < 5
                ? 0
                : random.nextInt(dice < 70 ? 4_000 : dice < 90 ? 100_000 : dice < 98 ? 1_000_000 : 5_000_000);
    }

    boolean isUpload() {
        return method.startsWith("P");
    }

    private boolean isStreamed() {
        return route.endsWith("streamed");
    }

    /** All up to the fields. */
    String line(String version) {
        return method + " /" + route + "/?id=" + id + "&size=" + size + "&frame=" + frame
                + (mischief.isEmpty() ? "" : "&do=" + mischief) + " HTTP/" + version + "\r\nHost: test.example\r\n";
    }

    /** Whether this status can be explained by what the peers of the group may do. */
    boolean allows(int status) {
        return switch (route) {
            // a POST does not move on, nor does a body that is gone
            case "mortal", "mortal-streamed" -> status == 200 || status == 502 && isLost();
            case "wicked", "wicked-streamed" ->
                status == 200 || isLost() && (status == 502 || mischief.equals(Integer.toString(status)));
            case "stalling" -> status == 200 || status == 504;
            case "hopeless" ->
                status == 200 || status == 502 || status == 504 || mischief.equals(Integer.toString(status));
            default -> status == 200;
        };
    }

    private boolean isLost() {
        return method.equals("POST") || isUpload() && isStreamed();
    }

    /** Whether the body of a 200 may end too early, in a way that can be seen. */
    boolean allowsBrokenBody() {
        return route.startsWith("mortal") || BROKEN_BODIES.contains(mischief);
    }
}
