package io.weir.control.access;

import io.weir.control.web.ProblemWriter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Pages of other sites cannot write through somebody's browser, which sends its user's password along. Where nothing is asked
 * for, they cannot read by rebinding their own name either. In the place of CSRF tokens, which scripts would have to fetch.
 */
final class BrowserGuard extends OncePerRequestFilter {

    private static final Set<String> READS = Set.of("GET", "HEAD", "OPTIONS");

    private final boolean namesAreRefused;

    /** @param namesAreRefused that others could point at this host */
    BrowserGuard(boolean namesAreRefused) {
        this.namesAreRefused = namesAreRefused;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        if (namesAreRefused && !BrowserOrigin.isUnrebindable(request.getHeader(HttpHeaders.HOST))) {
            String detail = "without credentials the control plane answers to localhost and IP addresses only";
            ProblemWriter.write(request, response, HttpStatus.FORBIDDEN, "FORBIDDEN_HOST", detail);
        } else if (!READS.contains(request.getMethod()) && !BrowserOrigin.isOwn(request)) {
            String detail = "a page of another origin may not write";
            ProblemWriter.write(request, response, HttpStatus.FORBIDDEN, "FORBIDDEN_ORIGIN", detail);
        } else {
            chain.doFilter(request, response);
        }
    }
}
