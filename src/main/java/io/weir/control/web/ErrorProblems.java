package io.weir.control.web;

import io.swagger.v3.oas.annotations.Hidden;
import jakarta.servlet.RequestDispatcher;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.webmvc.error.ErrorController;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Describes the errors that no controller has raised, such as a path that nothing answers. */
@Hidden
@RestController
class ErrorProblems implements ErrorController {

    @RequestMapping("${server.error.path:/error}")
    ResponseEntity<Problem> error(HttpServletRequest request) {
        Object code = request.getAttribute(RequestDispatcher.ERROR_STATUS_CODE);
        HttpStatus status = code instanceof Integer number ? HttpStatus.resolve(number) : HttpStatus.NOT_FOUND;
        if (status == null) {
            status = HttpStatus.INTERNAL_SERVER_ERROR;
        }
        Object path = request.getAttribute(RequestDispatcher.ERROR_REQUEST_URI);
        String detail = status == HttpStatus.NOT_FOUND
                ? "there is nothing at " + (path == null ? request.getRequestURI() : path)
                : "";
        return ResponseEntity.status(status)
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .body(Problem.of(status, status.name(), detail, RequestIds.of(request)));
    }
}
