package io.weir.control.web;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import tools.jackson.databind.json.JsonMapper;

/** Refuses a request where Spring MVC does not yet, or no longer, see it. */
public final class ProblemWriter {

    private static final JsonMapper MAPPER = new JsonMapper();

    private ProblemWriter() {}

    public static void write(
            HttpServletRequest request, HttpServletResponse response, HttpStatus status, String code, String detail)
            throws IOException {
        write(response, Problem.of(status, code, detail, RequestIds.of(request)));
    }

    public static void write(HttpServletResponse response, Problem problem) throws IOException {
        byte[] body = MAPPER.writeValueAsBytes(problem);
        response.setStatus(problem.status());
        response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
