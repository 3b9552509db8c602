/** The API's reference: Scalar over /openapi.json. Nothing is asked for elsewhere: no fonts, no proxy, no telemetry. */

interface Scalar {
  createApiReference(target: string, configuration: object): void;
}

// The explorer's switch holds here, too; without it, what the system prefers.
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
