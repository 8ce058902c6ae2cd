/** The protocol of MCP Apps (SEP-1865): JSON-RPC by messages between this frame and the page around it. */
import { hostLook, type HostLook } from '../../src/features/agents/contract/app-answer.ts';

const PROTOCOL = '2026-01-26';
const INITIALIZE = 1;

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
  readonly params?: unknown;
  readonly result?: unknown;
}

export interface Host {
  readonly onResult: (result: unknown) => void;
  readonly onLook: (look: HostLook) => void;
}

/** Introduces the frame to the host, and passes on what the host tells it. */
export function connect({ onResult, onLook }: Host): void {
  window.addEventListener('message', ({ source, data }: MessageEvent<Message | undefined>) => {
    if (source !== window.parent || typeof data !== 'object') return;
    const { id, method, params } = data;
    if (id === INITIALIZE && method === undefined) {
      onLook(hostLook((data.result as { readonly hostContext?: unknown } | undefined)?.hostContext));
      post({ method: 'ui/notifications/initialized' });
      reportSize();
    } else if (method === 'ui/notifications/tool-result') onResult(params);
    else if (method === 'ui/notifications/host-context-changed') onLook(hostLook(params));
    // Other requests are of no concern, but the host waits for an answer, for instance before it removes the frame.
    else if (id !== undefined && method !== undefined) post({ id, result: {} });
  });
  const appInfo = { name: 'parallax', version: '1' };
  const params = { protocolVersion: PROTOCOL, appInfo, appCapabilities: {} };
  post({ id: INITIALIZE, method: 'ui/initialize', params });
}

/** Frames have no height of their own. */
function reportSize(): void {
  const { documentElement } = document;
  new ResizeObserver(() => {
    const { width, height } = documentElement.getBoundingClientRect();
    const params = { width: Math.ceil(width), height: Math.ceil(height) };
    post({ method: 'ui/notifications/size-changed', params });
  }).observe(documentElement);
}

function post(message: Message): void {
  // The host has any origin, and what is sent contains nothing from files.
  window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
}
