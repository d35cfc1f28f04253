"""Greets the world on stdout before it reads anything."""

import echo

echo.write("Welcome to the miniature\n")
echo.serve()
