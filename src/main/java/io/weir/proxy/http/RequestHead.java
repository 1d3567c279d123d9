package io.weir.proxy.http;

/**
 * The head of a request as it came.
 *
 * @param method a token
 * @param target as it came; one char is one byte
 * @param version of HTTP, major times ten and minor: 11 for HTTP/1.1
 * @param refusal the status that answers what is not a request, 0 if it is one; then all else is for logs only
 */
record RequestHead(String method, String target, int version, HttpFields headers, int refusal) {

    static final int HTTP_1_0 = 10;
    static final int HTTP_1_1 = 11;

    /** One that reads as a request, but must not be taken for one. */
    RequestHead refusedWith(int status) {
        return new RequestHead(method, target, version, headers, status);
    }

    static RequestHead refused(int status) {
        return new RequestHead("", "", HTTP_1_1, HttpFields.NONE, status);
    }
}
