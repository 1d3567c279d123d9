package io.weir.proxy.http;

import io.weir.proxy.log.LogWriter;

/** Where the requests of a listener are logged, and in which form. Immutable. */
record AccessLog(LogWriter writer, LogFormat format) {}
