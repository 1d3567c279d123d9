package io.weir.proxy.http;

/**
 * The head of a response as it came.
 *
 * @param status three digits, 100 to 999; 0 if what came is not a response, then nothing else means anything
 * @param reason the phrase behind the status, may be empty; one char is one byte
 * @param version of HTTP, major times ten and minor: 11 for HTTP/1.1
 */
record ResponseHead(int status, String reason, int version, HttpFields headers) {

    static final ResponseHead INVALID = new ResponseHead(0, "", RequestHead.HTTP_1_1, HttpFields.NONE);

    boolean isValid() {
        return status != 0;
    }
}
