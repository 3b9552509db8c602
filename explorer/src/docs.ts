/** The API reference: Scalar over /openapi.json. It loads nothing from other hosts: no fonts, no proxy, no telemetry. */

interface Scalar {
  createApiReference(target: string, configuration: object): void;
}

// The theme chosen in the explorer or, without one, the system's preference.
const { theme } = document.documentElement.dataset;

(globalThis as unknown as { Scalar: Scalar }).Scalar.createApiReference("#docs", {
  url: "/openapi.json",
  theme: "default",
  layout: "modern",
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: "",
  hideClientButton: true,
  showDeveloperTools: "never",
  documentDownloadType: "json",
  agent: { disabled: true },
  mcp: { disabled: true },
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  ...(theme ? { forceDarkModeState: theme, hideDarkModeToggle: true } : {}),
  metaData: { title: "Soprano API" },
});
