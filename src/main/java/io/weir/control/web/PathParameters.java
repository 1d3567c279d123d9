package io.weir.control.web;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.filter.OncePerRequestFilter;

/** Refuses {@code ;} in a path: what follows it would be dropped, and a write would reach another resource. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE + 2)
class PathParameters extends OncePerRequestFilter {

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (request.getRequestURI().indexOf(';') >= 0) {
            ProblemWriter.write(request, response, HttpStatus.BAD_REQUEST, "BAD_REQUEST", "a path has no ; here");
        } else {
            chain.doFilter(request, response);
        }
    }
}
