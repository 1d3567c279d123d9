package io.weir.control.web;

import java.io.IOException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ErrorReportValve;
import org.apache.tomcat.util.buf.EncodedSolidusHandling;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/** What the API needs of Tomcat. */
@Component
@Order(Ordered.LOWEST_PRECEDENCE) // its valve must stand inside Spring Boot's, to report first
class TomcatSettings implements WebServerFactoryCustomizer<TomcatServletWebServerFactory> {

    @Override
    public void customize(TomcatServletWebServerFactory factory) {
        // unix:%2Frun%2Fapp.sock is one segment of a path; Spring MVC decodes it after it has split the path
        factory.addConnectorCustomizers(
                connector -> connector.setEncodedSolidusHandling(EncodedSolidusHandling.PASS_THROUGH.getValue()));
        factory.addContextCustomizers(
                context -> context.getParent().getPipeline().addValve(new ProblemValve()));
    }

    /** Requests that Tomcat refuses before Spring MVC sees them get a problem, not a page. */
    private static final class ProblemValve extends ErrorReportValve {

        @Override
        protected void report(Request request, Response response, @Nullable Throwable throwable) {
            HttpStatus status = HttpStatus.resolve(response.getStatus());
            if (status == null
                    || !status.isError()
                    || response.getContentWritten() > 0
                    || !response.setErrorReported()) {
                return;
            }
            try {
                String id = RequestIds.create();
                String detail = "the request line or a header is malformed";
                response.getResponse().setHeader(RequestIds.HEADER, id);
                ProblemWriter.write(response.getResponse(), Problem.of(status, status.name(), detail, id));
            } catch (IOException | IllegalStateException e) {
                // the client is gone, or has its answer
                container.getLogger().debug("no problem written", e);
            }
        }
    }
}
