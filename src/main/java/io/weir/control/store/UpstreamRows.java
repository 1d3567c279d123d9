package io.weir.control.store;

import java.util.List;
import org.springframework.data.jpa.repository.JpaRepository;

interface UpstreamRows extends JpaRepository<UpstreamRow, String> {

    List<UpstreamRow> findAllByOrderByName();
}
