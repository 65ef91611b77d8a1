// Every tool, in the order in which they are listed.

import type { McpTool } from './mcp-tool.ts';
import { headroomTool } from './tools/headroom-tool.ts';
import { linkHistoryTool } from './tools/link-history-tool.ts';
import { worstLinksTool } from './tools/link-tools.ts';
import { clusterSummaryTool, listNodesTool, nodeDetailTool } from './tools/node-tools.ts';
import { compareRunsTool, listRunsTool, runReportTool } from './tools/run-tools.ts';
import { explainMissingTool, warningsTool } from './tools/warning-tools.ts';

export const MCP_TOOLS: readonly McpTool[] = [
  clusterSummaryTool,
  listNodesTool,
  nodeDetailTool,
  worstLinksTool,
  linkHistoryTool,
  warningsTool,
  explainMissingTool,
  listRunsTool,
  runReportTool,
  compareRunsTool,
  headroomTool,
];
