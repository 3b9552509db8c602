/** Names of selectors as pages and cards show them. Others are shown as they are, but for balance cohorts. */
export const SELECTOR_NAMES: Readonly<Record<string, string>> = {
  total: "Total",
  users: "Users",
  sc: "Smart contracts",
  cex: "Exchanges",
  sth: "Short-term holders",
  lth: "Long-term holders",
  all: "All",
  other: "Other",
};
