/** What `env` of cloudflare:workers holds: the bindings of wrangler.toml. */
declare namespace Cloudflare {
  interface Env {
    BUCKET: R2Bucket;
    KEYS: KVNamespace;
  }
  interface GlobalProps {
    mainModule: typeof import("../../worker/index.ts");
  }
}
