{{- define "plimsoll.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "plimsoll.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" -}}
{{- else if contains (include "plimsoll.name" .) .Release.Name -}}
{{- .Release.Name | trunc 52 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "plimsoll.name" .) | trunc 52 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "plimsoll.selector" -}}
app.kubernetes.io/name: {{ include "plimsoll.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "plimsoll.labels" -}}
{{ include "plimsoll.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "plimsoll.image" -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{- define "plimsoll.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "plimsoll.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}

{{/* The Secret of the cluster key and the token; empty where there is none. */}}
{{- define "plimsoll.secret" -}}
{{- if .Values.cluster.existingSecret -}}
{{ .Values.cluster.existingSecret }}
{{- else if or .Values.cluster.key .Values.cluster.token -}}
{{ include "plimsoll.fullname" . }}
{{- end -}}
{{- end -}}

{{- define "plimsoll.hasKey" -}}
{{- if or .Values.cluster.existingSecret .Values.cluster.key -}}true{{- end -}}
{{- end -}}

{{- define "plimsoll.hasToken" -}}
{{- if or .Values.cluster.token (and .Values.cluster.existingSecret .Values.metrics.serviceMonitor.enabled) -}}true{{- end -}}
{{- end -}}

{{- define "plimsoll.natsServers" -}}
{{- if .Values.fleet.servers -}}
{{- toJson .Values.fleet.servers -}}
{{- else if .Values.nats.enabled -}}
{{- toJson (list (printf "tls://%s-nats.%s.svc:4222" (include "plimsoll.fullname" .) .Release.Namespace)) -}}
{{- end -}}
{{- end -}}

{{/* Nothing that a process of this image can do needs more. */}}
{{- define "plimsoll.confined" -}}
allowPrivilegeEscalation: false
privileged: false
readOnlyRootFilesystem: true
runAsNonRoot: true
{{- end -}}
