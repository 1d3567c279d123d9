{{- define "weir.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- /* At most 50 characters, so that what is appended stays within 63. */}}
{{- define "weir.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" }}
{{- else if contains (include "weir.name" .) .Release.Name }}
{{- .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name (include "weir.name" .) | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "weir.selectorLabels" -}}
app.kubernetes.io/name: {{ include "weir.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "weir.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "weir.selectorLabels" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "weir.image" -}}
{{- if .Values.image.digest }}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest }}
{{- else }}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}
{{- end }}

{{- define "weir.serviceAccountName" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "weir.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- default "default" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "weir.adminSecret" -}}
{{- default (printf "%s-admin" (include "weir.fullname" .)) .Values.admin.existingSecret }}
{{- end }}

{{- define "weir.gracePeriodSeconds" -}}
{{- $needed := add (int .Values.shutdown.delaySeconds) (int .Values.shutdown.timeoutSeconds) }}
{{- $asked := int .Values.shutdown.gracePeriodSeconds }}
{{- if eq $asked 0 }}
{{- add $needed 20 }}
{{- else if le $asked (int $needed) }}
{{- fail (printf "shutdown.gracePeriodSeconds is %d, and must be more than shutdown.delaySeconds and shutdown.timeoutSeconds together, which are %d: requests would be cut" $asked $needed) }}
{{- else }}
{{- $asked }}
{{- end }}
{{- end }}

{{- /* What the schema cannot say, or says less clearly. */}}
{{- define "weir.check" -}}
{{- if eq .Values.database.kind "h2" }}
{{- if gt (int .Values.replicas) 1 }}
{{- fail "replicas is more than 1, and an H2 database belongs to one Weir: set database.kind to postgresql" }}
{{- end }}
{{- if .Values.autoscaling.enabled }}
{{- fail "autoscaling is enabled, and an H2 database belongs to one Weir: set database.kind to postgresql" }}
{{- end }}
{{- end }}
{{- if gt (int .Values.autoscaling.minReplicas) (int .Values.autoscaling.maxReplicas) }}
{{- fail "autoscaling.minReplicas is more than autoscaling.maxReplicas" }}
{{- end }}
{{- $seen := dict }}
{{- $names := dict }}
{{- range .Values.traffic.ports }}
{{- if and (eq (int .listenerPort) (int $.Values.control.port)) (eq .protocol "TCP") }}
{{- fail (printf "traffic.ports: %s has the port of the control plane, %d" .name (int .listenerPort)) }}
{{- end }}
{{- range $key := list (printf "port %d/%s" (int .port) .protocol) (printf "listenerPort %d/%s" (int .listenerPort) .protocol) (printf "name %s" .name) }}
{{- if hasKey $seen $key }}
{{- fail (printf "traffic.ports: %s is there twice" $key) }}
{{- end }}
{{- $_ := set $seen $key true }}
{{- end }}
{{- end }}
{{- end }}
