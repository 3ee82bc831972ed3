/**
 * Lua for Neovim, 0.7 or later, about the buffers of a file. Files are compared by their real paths. Everything that comes
 * from a user or a model is an argument.
 */

const library = `
local api = vim.api
local uv = vim.uv or vim.loop

-- Of a file that is not there yet: its folder's, and its name.
local function real_path(path)
  local found = uv.fs_realpath(path)
  if found then return found end
  local folder, name = path:match("^(.+)/([^/]+)$")
  if not folder then return path end
  return (uv.fs_realpath(folder) or folder) .. "/" .. name
end

local function identity(path)
  local stat = uv.fs_stat(path)
  return stat and stat.dev .. ":" .. stat.ino
end

-- Loaded buffers that are written to the file, under whichever of its names.
local function buffers_of(path)
  local wanted, inode = real_path(path), identity(path)
  return vim.tbl_filter(function(buffer)
    local name = api.nvim_buf_get_name(buffer)
    local buftype = vim.bo[buffer].buftype
    if not api.nvim_buf_is_loaded(buffer) or name == "" or (buftype ~= "" and buftype ~= "acwrite") then
      return false
    end
    return real_path(name) == wanted or (inode ~= nil and identity(name) == inode)
  end, api.nvim_list_bufs())
end

local function has_unsaved_changes(path)
  for _, buffer in ipairs(buffers_of(path)) do
    if vim.bo[buffer].modified then return true end
  end
  return false
end
`

/** Arguments: the channel, a path. Returns whether a buffer of the file is modified. */
export const checkUnsaved = `${library}
local _, path = ...
return has_unsaved_changes(path)
`

/** Arguments: the channel, a path. Returns false, and does nothing, if a buffer of the file is modified. */
export const reloadBuffers = `${library}
local _, path = ...
if has_unsaved_changes(path) then return false end

local function is_empty(buffer)
  return api.nvim_buf_line_count(buffer) == 1 and api.nvim_buf_get_lines(buffer, 0, 1, false)[1] == ""
end

for _, buffer in ipairs(buffers_of(path)) do
  if is_empty(buffer) then
    -- Of a file that was not there, checktime would ask the user what to do.
    api.nvim_buf_call(buffer, function() vim.cmd("silent edit") end)
  else
    -- Keeps cursors, folds and the undo history. The event comes only where 'autoread' is off.
    local always = api.nvim_create_autocmd("FileChangedShell", {
      buffer = buffer,
      callback = function() vim.v.fcs_choice = "reload" end,
    })
    local ok, problem = pcall(vim.cmd, "silent checktime " .. buffer)
    pcall(api.nvim_del_autocmd, always)
    if not ok then error(problem, 0) end
  end
end
return true
`

/** Arguments: the channel, a path, a line and a column or `vim.NIL`, both 1-based, the column in characters. */
export const openFile = `${library}
local _, path, line, column = ...

local function is_for_files(window)
  local buffer = api.nvim_win_get_buf(window)
  local has_fixed, is_fixed = pcall(function() return vim.wo[window].winfixbuf end)
  return api.nvim_win_get_config(window).relative == ""
    and vim.bo[buffer].buftype == ""
    and not vim.wo[window].previewwindow
    and not (has_fixed and is_fixed)
end

-- The window that shows the file already, the current one, any other that is for files, or a new one.
local function window_for(buffer)
  local current = api.nvim_get_current_win()
  local windows = vim.tbl_filter(is_for_files, api.nvim_tabpage_list_wins(0))
  for _, window in ipairs(windows) do
    if api.nvim_win_get_buf(window) == buffer then return window end
  end
  if vim.tbl_contains(windows, current) then return current end
  if windows[1] == nil then vim.cmd("silent split") end
  return windows[1] or api.nvim_get_current_win()
end

local function show(buffer)
  local window = window_for(buffer)
  api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
  if pcall(api.nvim_win_set_buf, window, buffer) then return window end
  -- With 'nohidden' a window does not let go of unsaved changes.
  vim.cmd("silent split")
  api.nvim_win_set_buf(0, buffer)
  return api.nvim_get_current_win()
end

local function leave_preview()
  local ok, tag = pcall(api.nvim_tabpage_get_var, 0, "stepline_preview")
  if ok and api.nvim_win_is_valid(tag.place.window) then api.nvim_set_current_win(tag.place.window) end
end

local function clamp(number, last)
  return math.max(1, math.min(math.floor(number), last))
end

local function go_to(window)
  local row = clamp(line, api.nvim_buf_line_count(0))
  local text = api.nvim_buf_get_lines(0, row - 1, row, false)[1] or ""
  local offset = 0
  if column ~= vim.NIL then
    offset = vim.fn.byteidx(text, clamp(column, math.max(1, vim.fn.strchars(text, 1))) - 1)
  end
  api.nvim_win_set_cursor(window, { row, math.max(0, offset) })
  vim.cmd("normal! zvzz")
end

if vim.fn.getcmdwintype() ~= "" then
  error("The command-line window is open, in which nothing can be shown. Close it with :quit.", 0)
end
leave_preview()
vim.cmd("stopinsert")
local buffer = vim.fn.bufadd(path)
vim.bo[buffer].buflisted = true
-- Another Neovim that has the file open must not stop this one with a question.
local shortmess = vim.o.shortmess
vim.opt.shortmess:append("A")
local ok, window = pcall(show, buffer)
vim.o.shortmess = shortmess
if not ok then error(window, 0) end
if line ~= vim.NIL then go_to(window) end
`
