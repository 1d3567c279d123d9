package io.weir.control.upstream;

import io.swagger.v3.oas.annotations.media.Schema;
import java.util.List;

/** Documents the list of a group's servers, as sent and as answered. */
@Schema(name = "ServerList")
record ServerListView(
        List<ServerView> items,
        @Schema(accessMode = Schema.AccessMode.READ_ONLY) long revision) {}
