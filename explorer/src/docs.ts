/** The API's reference: Scalar over /openapi.json. Nothing is asked for elsewhere: no fonts, no proxy, no telemetry. */

interface Scalar {
  createApiReference(target: string, configuration: object): void;
}

(globalThis as unknown as { Scalar: Scalar }).Scalar.createApiReference("#docs", {
  url: "/openapi.json",
  theme: "default",
  layout: "modern",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  metaData: { title: "Soprano API" },
});
