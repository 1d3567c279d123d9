{{- /* The pod of the Deployment and of the StatefulSet; only /data differs. */}}
{{- define "weir.pod" -}}
metadata:
  labels:
    {{- include "weir.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "weir.serviceAccountName" . }}
  automountServiceAccountToken: false
  # WEIR_PORT and its like, which the cluster sets for a service of that name, would be taken for properties
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ include "weir.gracePeriodSeconds" . }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: weir
      image: {{ include "weir.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      env:
        - name: SERVER_PORT
          value: {{ .Values.control.port | quote }}
        - name: WEIR_ADMIN_TOKEN
          valueFrom:
            secretKeyRef:
              name: {{ include "weir.adminSecret" . }}
              key: {{ .Values.admin.tokenKey }}
        {{- if eq .Values.database.kind "postgresql" }}
        - name: SPRING_DATASOURCE_URL
          value: {{ .Values.database.postgresql.url | quote }}
        - name: SPRING_DATASOURCE_USERNAME
          valueFrom:
            secretKeyRef:
              name: {{ .Values.database.postgresql.existingSecret }}
              key: {{ .Values.database.postgresql.usernameKey }}
        - name: SPRING_DATASOURCE_PASSWORD
          valueFrom:
            secretKeyRef:
              name: {{ .Values.database.postgresql.existingSecret }}
              key: {{ .Values.database.postgresql.passwordKey }}
        {{- end }}
        - name: WEIR_DATAPLANE_THREADS
          value: {{ .Values.threads | quote }}
        - name: WEIR_DATAPLANE_SHUTDOWNDELAY
          value: {{ printf "%ds" (int .Values.shutdown.delaySeconds) }}
        - name: WEIR_DATAPLANE_SHUTDOWNTIMEOUT
          value: {{ printf "%ds" (int .Values.shutdown.timeoutSeconds) }}
        - name: SPRING_LIFECYCLE_TIMEOUTPERSHUTDOWNPHASE
          value: {{ printf "%ds" (add (int .Values.shutdown.delaySeconds) (int .Values.shutdown.timeoutSeconds) 10) }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      ports:
        {{- range .Values.traffic.ports }}
        - name: {{ .name }}
          containerPort: {{ .listenerPort }}
          protocol: {{ .protocol }}
        {{- end }}
        - name: control
          containerPort: {{ .Values.control.port }}
          protocol: TCP
      # three minutes for a start on a busy node; the others begin after it
      startupProbe:
        httpGet:
          path: /actuator/health/liveness
          port: control
        periodSeconds: 2
        timeoutSeconds: 2
        failureThreshold: 90
      livenessProbe:
        httpGet:
          path: /actuator/health/liveness
          port: control
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet:
          path: /actuator/health/readiness
          port: control
        periodSeconds: 5
        timeoutSeconds: 3
        failureThreshold: 2
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
  volumes:
    {{- if eq .Values.database.kind "postgresql" }}
    - name: data
      emptyDir:
        sizeLimit: {{ .Values.tempSize }}
    {{- end }}
    - name: tmp
      emptyDir:
        sizeLimit: 64Mi
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    {{- $selector := dict "labelSelector" (dict "matchLabels" (include "weir.selectorLabels" $ | fromYaml)) }}
    - {{- toYaml (hasKey . "labelSelector" | ternary . (merge $selector .)) | nindent 6 }}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
{{- end }}
