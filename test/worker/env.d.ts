/** What `env` of cloudflare:workers holds: the bindings of wrangler.toml. */
declare namespace Cloudflare {
  interface Env {
    BUCKET: R2Bucket;
    KEYS: KVNamespace;
    LIMIT_FREE: RateLimit;
    LIMIT_STANDARD: RateLimit;
    LIMIT_ADDRESS: RateLimit;
  }
  interface GlobalProps {
    mainModule: typeof import("../../worker/index.ts");
  }
}
