import { createTelepathyTool } from "@mariozechner/pi-coding-agent"

export default () => createTelepathyTool()
