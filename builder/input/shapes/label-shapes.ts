/** The shapes of labels of exchanges that are recognised. Source: docs/building.md#files-of-other-tools. */

import { renamed, type Shape } from "./shape.ts";

/** The columns of a view of labels, by what they say. */
export const SAID = {
  exchange: "said_exchange",
  label: "said_label",
  name: "said_name",
  category: "said_category",
} as const;

const address = renamed("address");
const name = renamed("name", "name_tag", "address_name");

export const LABEL_SHAPES: readonly Shape[] = [
  {
    name: "dune-cex",
    what: "rows of Dune's cex.addresses",
    columns: { address, [SAID.exchange]: renamed("cex_name") },
  },
  {
    name: "dune-labels",
    what: "rows of Dune's labels.addresses",
    columns: { address, [SAID.name]: name, [SAID.category]: renamed("category") },
  },
  {
    name: "flipside-labels",
    what: "rows of Flipside's dim_labels",
    columns: {
      address,
      [SAID.name]: renamed("address_name"),
      [SAID.category]: renamed("label_type"),
      [SAID.label]: renamed("label"),
    },
  },
  {
    name: "etherscan-labels-named",
    what: "labels and names of etherscan-labels or eth-labels",
    columns: { address, [SAID.name]: name, [SAID.label]: renamed("label", "labels") },
  },
  {
    name: "etherscan-labels",
    what: "labels of etherscan-labels",
    columns: { address, [SAID.label]: renamed("label", "labels") },
  },
];
