/**
 * Lua for Neovim, 0.7 or later, to show and close a preview. A preview's buffers and its tab are tagged with its id, so that
 * no other state is needed. Everything that comes from a user or a model is an argument.
 */

const library = `
local api = vim.api

local function tag_of(get, handle)
  local ok, tag = pcall(get, handle, "stepline_preview")
  return ok and tag or nil
end

local function place_now()
  -- A preview is no place to go back to, for it will be closed itself: its own place is.
  local tag = tag_of(api.nvim_tabpage_get_var, 0)
  if tag then return tag.place end
  return {
    tab = api.nvim_get_current_tabpage(),
    window = api.nvim_get_current_win(),
    mode = api.nvim_get_mode().mode,
    cursor = api.nvim_win_get_cursor(0),
  }
end

-- What a user goes on to type is text, and must not run as commands.
local function give_back_mode(place)
  local mode = place.mode:sub(1, 1)
  if mode == "t" and vim.bo.buftype == "terminal" then vim.cmd("startinsert") end
  if (mode ~= "i" and mode ~= "R") or not vim.bo.modifiable then return end
  local row, column = unpack(place.cursor)
  local line = api.nvim_get_current_line()
  -- Where normal mode has no place for the cursor.
  local is_behind_line = api.nvim_win_get_cursor(0)[1] == row and column >= #line
  vim.cmd((mode == "i" and "startinsert" or "startreplace") .. (is_behind_line and "!" or ""))
end

local function give_back(place)
  if api.nvim_win_is_valid(place.window) then
    api.nvim_set_current_win(place.window)
  elseif api.nvim_tabpage_is_valid(place.tab) then
    api.nvim_set_current_tabpage(place.tab)
  end
  give_back_mode(place)
end

-- Closes the windows of the preview wherever they are, and no others.
local function close_preview(id)
  if vim.fn.getcmdwintype() ~= "" then
    -- While the command-line window is open, no other can be closed.
    local function retry() close_preview(id) end
    api.nvim_create_autocmd("CmdwinLeave", { once = true, callback = function() vim.schedule(retry) end })
    return
  end
  local tab = api.nvim_get_current_tabpage()
  local tag = tag_of(api.nvim_tabpage_get_var, tab)
  for _, window in ipairs(api.nvim_list_wins()) do
    local is_preview = api.nvim_win_is_valid(window)
      and tag_of(api.nvim_buf_get_var, api.nvim_win_get_buf(window)) == id
    if is_preview and not pcall(api.nvim_win_close, window, true) then
      -- The last window of all stays, with an empty buffer.
      api.nvim_win_call(window, function() vim.cmd("diffoff | enew") end)
      pcall(api.nvim_tabpage_del_var, tab, "stepline_preview")
    end
  end
  -- A user who has gone elsewhere, or has opened more in the preview's tab, stays there.
  if tag and tag.id == id and not api.nvim_tabpage_is_valid(tab) then give_back(tag.place) end
end
`

/** Arguments: the channel, the preview's id. */
export const closePreview = `${library}
local _, id = ...
close_preview(id)
`

/**
 * Arguments: the channel, the preview's id, the file's path, panes of `{ label, lines }`: one, or two to compare.
 * When the preview's windows are closed, the channel is notified with `stepline_preview_closed`.
 */
export const showPreview = `${library}
local channel, id, path, panes = ...

-- Highlighted as the file would be, but without its filetype, which would start language servers and the like.
local function highlight(buffer)
  api.nvim_buf_call(buffer, function()
    local ignored = vim.o.eventignore
    vim.o.eventignore = "FileType"
    pcall(vim.cmd, "doautocmd <nomodeline> filetypedetect BufRead")
    local filetype = vim.bo.filetype
    vim.bo.filetype = ""
    vim.o.eventignore = ignored
    pcall(function() vim.bo.syntax = filetype end)
  end)
end

local function on_wiped()
  -- Not from within the closing of a window.
  vim.schedule(function()
    close_preview(id)
    pcall(vim.rpcnotify, channel, "stepline_preview_closed", id)
  end)
end

local function scratch(pane)
  local buffer = api.nvim_create_buf(false, true)
  api.nvim_buf_set_var(buffer, "stepline_preview", id)
  local name = vim.fn.fnamemodify(path, ":~:.")
  -- The number makes it unique.
  api.nvim_buf_set_name(buffer, ("stepline://%d/%s/%s"):format(buffer, pane.label, name))
  vim.bo[buffer].undolevels = -1
  api.nvim_buf_set_lines(buffer, 0, -1, false, pane.lines)
  highlight(buffer)
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].readonly = true
  vim.bo[buffer].modified = false
  vim.bo[buffer].bufhidden = "wipe"
  vim.keymap.set("n", "q", function() close_preview(id) end,
    { buffer = buffer, nowait = true, silent = true, desc = "Close the preview" })
  api.nvim_create_autocmd("BufWipeout", { buffer = buffer, callback = on_wiped })
  return buffer
end

-- Whatever the user has set: nothing of a preview is folded away, concealed or turned round.
local function show_all()
  vim.wo.wrap = true
  vim.wo.conceallevel = 0
  vim.wo.rightleft = false
  -- A comparison folds what is equal; where that is not what is the same, it folds nothing.
  vim.wo.foldenable = vim.wo.diff and not vim.o.diffopt:find("%f[%a]i[bcw]")
end

local function first_difference(before, after)
  local line = 1
  while before[line] ~= nil and before[line] == after[line] do line = line + 1 end
  return line
end

local function compare(windows)
  for _, window in ipairs(windows) do
    api.nvim_win_call(window, function()
      vim.cmd("diffthis")
      show_all()
    end)
  end
  local line = first_difference(panes[1].lines, panes[2].lines)
  for _, window in ipairs(windows) do
    local last = api.nvim_buf_line_count(api.nvim_win_get_buf(window))
    api.nvim_win_set_cursor(window, { math.min(line, last), 0 })
  end
  vim.cmd("diffupdate | normal! zz")
  vim.cmd("syncbind")
end

local buffers = {}

local function open()
  local place = place_now()
  for index, pane in ipairs(panes) do buffers[index] = scratch(pane) end
  vim.cmd("stopinsert")
  vim.cmd("silent tab sbuffer " .. buffers[1])
  api.nvim_tabpage_set_var(0, "stepline_preview", { id = id, place = place })
  if buffers[2] == nil then return show_all() end
  local left = api.nvim_get_current_win()
  vim.cmd("silent rightbelow vertical sbuffer " .. buffers[2])
  compare({ left, api.nvim_get_current_win() })
end

if vim.fn.getcmdwintype() ~= "" then
  error("The command-line window is open, in which nothing can be shown. Close it with :quit.", 0)
end
local ok, problem = pcall(open)
if not ok then
  close_preview(id)
  for _, buffer in ipairs(buffers) do pcall(api.nvim_buf_delete, buffer, { force = true }) end
  error(problem, 0)
end
`
