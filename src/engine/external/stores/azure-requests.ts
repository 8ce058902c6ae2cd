/** What requests to Azure AI Search have in common. */
import type { AzureRetriever } from '../../../core/external/stores/azure.ts';

/** The version of the interface. */
export const AZURE_VERSION = '2024-07-01';

/** Keys consist of letters, digits, _, - and =, with no _ at the beginning. */
export const AZURE_KEY = /^[A-Za-z\d\-=][\w\-=]{0,1023}$/u;

/** The path of the index and its documents, below the service. */
export const pathOfIndex = ({ index }: AzureRetriever): string => `/indexes('${index}')`;
